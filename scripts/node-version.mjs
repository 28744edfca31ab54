// Written in syntax that old versions of Node can still parse: this file has to run there to say its sentence.
const NEEDED_MAJOR = 20;
const NEEDED_MINOR = 9;

/**
 * @param {string} version - as `process.versions.node` has it
 * @returns {string | undefined} what is wrong with this Node and what to do, or nothing
 */
export function nodeProblem(version) {
  const parts = version.split('.');
  const major = Number(parts[0]);
  const minor = Number(parts[1]);
  if (major > NEEDED_MAJOR || (major === NEEDED_MAJOR && minor >= NEEDED_MINOR)) return undefined;
  return `Orrery needs Node ${NEEDED_MAJOR}.${NEEDED_MINOR} or newer, but this is Node ${version}. Install a current Node (20, 22 and 24 work) and start again.`;
}

const problem = nodeProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
