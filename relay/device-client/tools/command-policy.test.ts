import { expect, test } from 'vitest';
import { checkCommand, commandPolicyOf, pathsIn } from './command-policy';

const policy = commandPolicyOf('linux', []);
const isAllowed = (line: string) => {
  const [command = '', ...args] = line.split(' ');
  return checkCommand(policy, command, args).ok;
};

test.each([
  'echo hello',
  'ls -la sub',
  'grep -c -i error a.log',
  'grep -rn error .',
  'sort -u -k2 a',
  'uniq -c a',
  'date -u +%s',
  'date -d tomorrow',
  'date -Iseconds',
  'date -dyesterday',
  'grep -eRROR a.log',
  'grep -nA2 -eS a.log',
  'sort -to -k2 a',
  'find . -name a -type f -size +1k',
  'ps aux',
  'ps -ef',
  'ps -eo pid,etime,comm --sort=-etime',
  'sha256sum a',
  'hostname -f',
  'df -h /',
  'uname -a',
  'sleep 1',
])('%s may run', (line) => {
  expect(isAllowed(line)).toBe(true);
});

test.each([
  'bash -c id',
  'env ls',
  'xargs ls',
  'awk 1',
  'sed -i s/a/b/ a',
  'tee a',
  'rm a',
  'node -e 1',
  '/bin/ls',
  './ls',
  '../ls',
  'ls;id',
  '',
])('%j is no command of the default list', (line) => {
  expect(isAllowed(line)).toBe(false);
});

test.each([
  'sort -o out a',
  'sort -uo out a',
  'sort -oout a',
  'sort --output=out a',
  'sort --out=out a',
  'sort -T /tmp a',
  'sort --compress-program=sh a',
  'sort --comp sh a',
  'sort --files0-from=a',
  'uniq a b',
  'uniq -- a b',
  'find . -exec id ;',
  'find . -execdir id ;',
  'find . -ok id ;',
  'find . -okdir id ;',
  'find . -delete',
  'find . -fprint a',
  'find . -fprintf a b',
  'find . -fls a',
  'find -L .',
  'find -files0-from a',
  'date -s tomorrow',
  'date --set=tomorrow',
  'date 01010000',
  'date -u 01010000',
  'date -f a',
  'hostname evil',
  'hostname -F a',
  'grep -R x .',
  'grep -nR x .',
  'grep -Re x .',
  'sort -nok2 a',
  'date -us 1',
  'ls -L',
  'wc --files0-from=a',
  'du --files0 a',
  'sha256sum -c list',
  'sha256sum --check list',
  'ps e',
  'ps auxe',
  'ps axeww',
  'ps -o environ',
  'ps aux -E',
  'ps a e',
])('%s would write, run or reveal something and is refused', (line) => {
  expect(isAllowed(line)).toBe(false);
});

test('a refusal names the commands that may run and how the owner adds others', () => {
  const verdict = checkCommand(policy, 'rm', []);
  expect(!verdict.ok && verdict.error).toMatch(/"rm" is not on the list.*cat, .*--allow/);
});

test('a command that the owner added has no limits on its arguments', () => {
  const wider = commandPolicyOf('linux', ['git', 'find']);
  expect(checkCommand(wider, 'git', ['-c', 'x=y']).ok).toBe(true);
  expect(checkCommand(wider, 'find', ['.', '-delete']).ok).toBe(true);
  expect(checkCommand(wider, 'cat', []).ok).toBe(true);
});

test.each(['linux', 'darwin', 'win32'] as const)('%s has a list of its own', (platform) => {
  expect(commandPolicyOf(platform, []).has('whoami')).toBe(true);
  for (const name of ['sh', 'bash', 'cmd', 'powershell', 'env', 'awk', 'xargs', 'curl', 'python3', 'tee']) {
    expect(commandPolicyOf(platform, []).has(name)).toBe(false);
  }
});

test('a path is found wherever an argument may hide it', () => {
  expect(pathsIn('/etc/passwd')).toContain('/etc/passwd');
  expect(pathsIn('--file=/etc/passwd')).toContain('/etc/passwd');
  expect(pathsIn('-f/etc/passwd')).toContain('/etc/passwd');
  expect(pathsIn('-nf../x')).toContain('../x');
  expect(pathsIn('if=/etc/passwd')).toContain('/etc/passwd');
  expect(pathsIn('-')).toEqual([]);
  expect(pathsIn('-l')).toEqual([]);
});
