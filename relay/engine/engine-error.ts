export type EngineErrorCode = 'locked' | 'unwritable' | 'foreign' | 'newer' | 'corrupt' | 'full' | 'io' | 'closed';

/** Storage failed. The message is one sentence for the operator: what was expected, what came, what to do. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
