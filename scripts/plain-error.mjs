/** A failure whose message is the one sentence that a person reads: what was expected, what came, what to do. */
export class PlainError extends Error {
  name = 'PlainError';
}

/** @param {string} text */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/** @param {string} text */
export function complain(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Runs the body of a script: a PlainError becomes its sentence and exit code 1, anything else keeps its stack, since it is a
 * fault of the script.
 *
 * @param {() => Promise<number>} body - gives the exit code
 */
export async function runScript(body) {
  try {
    process.exitCode = await body();
  } catch (error) {
    complain(error instanceof PlainError ? error.message : String(error instanceof Error ? error.stack : error));
    process.exitCode = 1;
  }
}

/** @param {unknown} error @returns {string} the system's code such as EACCES, or the message */
export function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  const code = /** @type {NodeJS.ErrnoException} */ (error).code;
  return code ?? error.message;
}
