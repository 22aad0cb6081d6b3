/**
 * Words that do not distinguish tools: English function words, and the filler of requests ("please", "help
 * me"). They are removed from queries, and from texts other than names. From general knowledge; two-letter
 * technical words (db, pr, ci, id, ip, ui, vm, os, ...) must not be added.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any anyone anything are aren aren't as at
  be because been before being below between both but by can can't cannot could couldn couldn't
  d did didn didn't do does doesn doesn't doing don don't during each either else etc ever every everyone everything
  few for from further had hadn has hasn hasn't have haven haven't having he her here hers herself him himself his how however
  i i'd i'll i'm i've if in into is isn isn't it it's its itself just let let's ll m may maybe me might mine more most much must my myself
  no nor not now of once one only onto or other others our ours ourselves over own per perhaps please
  quite rather re really s same shall she should shouldn since so some somebody someone something such
  t than thank thanks that that's the their theirs them themselves then there there's these they they're this those though through thus to too
  under until upon us using use used uses ve very via was wasn we we'd we'll we're we've were weren what what's whatever when where whether which while
  who whom whose why will with within without won won't would wouldn yet you you'd you'll you're you've your yours yourself
  able curious currently going gonna got hello help hey hi interested like further
  want wanna wanted wants need needed needs planning wondering would`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/**
 * Words of nearly every request, verbs of nearly every tool that reads, and particles: they carry some meaning
 * ("turn off", "who is on call") if there are no other words. From general knowledge; verbs that distinguish
 * tools ("find", "create") must not be added.
 */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  `get give provide tell show display view retrieve fetch check on off up down out
  look looking know see thing things way ways good great available specific different various certain many lot kind sure possible
  try trying keep come go going think idea ideas`.split(/\s+/),
);
