import type { ModelPlan } from '@winnow/testkit';

/** The user's messages, one per turn. */
export const USER_MESSAGES: readonly string[] = [
  'The login fix is reviewed. Merge pull request 482 of acme/web, please.',
  'Find an hour with Ana and Raj tomorrow, and tell them what it is about.',
  'Which pods of the checkout are down? If the last deployment broke it, roll it back.',
  'Thanks! Was that all?',
  'One more: tell Ana again, in the thread.',
];

/** The model's behaviour for each message. It acts only if it can see the tools that it needs. */
export const CONVERSATION: ModelPlan = {
  turns: [
    {
      steps: [
        {
          searchFor: ['merge a pull request'],
          say: 'I will merge it now, as a squash commit.',
          thenCall: [{ name: 'forge_merge_pull_request', input: { repository: 'acme/web', number: 482 } }],
        },
      ],
      answer: 'Pull request 482 is merged.',
    },
    {
      steps: [
        {
          searchFor: [['free time slot for several people', 'send a chat message']],
          say: 'First their calendars, and a word to Ana at the same time.',
          thenCall: [
            { name: 'calendar_find_free_slots', input: { attendees: ['ana@acme.test', 'raj@acme.test'] } },
            { name: 'chat_sendMessage', input: { to: '@ana', text: 'Planning the release, tomorrow.' } },
          ],
        },
      ],
      answer: 'Both are free at ten; Ana knows what it is about.',
    },
    {
      steps: [
        {
          searchFor: ['list kubernetes pods', 'roll back a deployment'],
          thenCall: [{ name: 'k8s_list_pods', input: { namespace: 'checkout' } }],
        },
        {
          say: 'Two pods crash since the last deployment, so I roll it back.',
          thenCall: [{ name: 'k8s_rollback_deployment', input: { namespace: 'checkout', name: 'checkout' } }],
        },
      ],
      answer: 'The checkout runs on the version before.',
    },
    { answer: 'Yes, nothing is left to do.' },
    {
      steps: [
        {
          thenCall: [
            { name: 'chat_sendMessage', input: { to: '@ana', text: 'Rolled back.', threadId: '7' } },
          ],
        },
      ],
      answer: 'Ana has been told.',
    },
  ],
};
