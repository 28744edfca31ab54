/** The relay cannot start. The message is one sentence for the operator: what was expected, what came, what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
