/**
 * A function that remembers, for each object, what it made of it last, and makes it anew when any of the other arguments is another.
 *
 * Contract: `make` is pure. An argument is the same when it is identical, a list of names when its names are. What is remembered lives as long as its
 * object; so it is worth it for objects that live long, such as the sections of tools that clients send again and again.
 */
export function rememberBy<Subject extends object, Others extends readonly unknown[], Result>(
  make: (subject: Subject, ...others: Others) => Result,
): (subject: Subject, ...others: Others) => Result {
  const made = new WeakMap<Subject, { readonly others: Others; readonly result: Result }>();
  return (subject, ...others) => {
    const last = made.get(subject);
    if (last !== undefined && others.every((other, at) => isSame(other, last.others[at]))) return last.result;
    const result = make(subject, ...others);
    made.set(subject, { others, result });
    return result;
  };
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((name, at) => typeof name === 'string' && name === other[at]);
}
