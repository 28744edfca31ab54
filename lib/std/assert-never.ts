/** Ends a switch over a union: a case that is not handled does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Unreachable case: ${JSON.stringify(value)}`);
}
