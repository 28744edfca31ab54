import { expect, test } from 'vitest';
import { parseRequestScript, taskTextOf } from './request-script';

function roundsOf(request: string) {
  const script = parseRequestScript(request);
  if (!script.ok) throw new Error(script.error);
  return script.value.map((round) => round.commands.map(({ toolName, parameters }) => [toolName, parameters]));
}

function refusalOf(request: string): string {
  const script = parseRequestScript(request);
  if (script.ok) throw new Error(`expected a refusal, got ${JSON.stringify(script.value)}`);
  return script.error;
}

const run = (command: string, ...args: string[]) => ['execute_command', { command, args }];

test('the frame of a constellation and its tips are no part of the script', () => {
  expect(taskTextOf('Task Description: $ date\n$ uname\nTips for Completion:\n - $ rm x')).toBe('$ date\n$ uname');
  expect(roundsOf('Task Description: $ date\nTips for Completion:\nNo tips available.')).toEqual([[run('date')]]);
});

test('a request without the frame is taken whole', () => {
  expect(roundsOf('$ date')).toEqual([[run('date')]]);
  expect(refusalOf('$ date\nTips for Completion:\n$ uname')).toContain('Line 2');
});

test('lines in a row are one round and a blank line starts the next', () => {
  expect(roundsOf('\n$ date\n  get_system_info\n\n \t\n$ uname -a\r\n\r\n$ id\n')).toEqual([
    [run('date'), ['get_system_info', {}]],
    [run('uname', '-a')],
    [run('id')],
  ]);
});

test('a round remembers the lines that asked for it', () => {
  const script = parseRequestScript('$ date\n$ id\n\n$ uname');
  expect(script.ok && script.value.map((round) => round.request)).toEqual(['$ date\n$ id', '$ uname']);
});

test('a command line is split like a shell splits it', () => {
  expect(roundsOf(`$ grep -c "two words" 'it''s' a\\ b "say \\"hi\\"" ''`)).toEqual([
    [run('grep', '-c', 'two words', 'its', 'a b', 'say "hi"', '')],
  ]);
  expect(roundsOf(`$ grep 'a|b*' "end$" 5$`)).toEqual([[run('grep', 'a|b*', 'end$', '5$')]]);
});

test.each([
  ['$ cat a | wc -l', 'a pipe'],
  ['$ cat a > b', 'a redirect'],
  ['$ cat < b', 'a redirect'],
  ['$ a && b', 'operator'],
  ['$ a; b', 'separator'],
  ['$ echo $(id)', 'substitution'],
  ['$ echo `id`', 'substitution'],
  ['$ echo "`id`"', 'substitution'],
  ['$ echo $HOME', 'substitution'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a shell line, as a person writes it
  ['$ echo "${HOME}"', 'substitution'],
  ['$ ls *.log', 'a glob'],
  ['$ ls a?', 'a glob'],
  ['$ ls [ab]', 'a glob'],
  ['$ ls {a,b}', 'brace'],
  ['$ ls ~', 'home'],
  ['$ ls # all', 'comment'],
  ["$ echo 'open", 'never closed'],
  ['$ echo "open', 'never closed'],
  ['$ echo \\', 'backslash'],
  ['$', 'no command'],
  ["$ ''", 'no command'],
])('%s is refused with its reason', (line, reason) => {
  expect(refusalOf(line)).toContain(reason);
});

test('arguments of a tool are bare text, quoted text or JSON', () => {
  expect(
    roundsOf(
      'write_file path=a/b.txt content="two words\\n\\u00e9" mode=5 ratio=-1.5e2 on=true none=null list=[1, "a b"] deep={"x": {"y": [2]}} empty= zeros=007',
    ),
  ).toEqual([
    [
      [
        'write_file',
        {
          path: 'a/b.txt',
          content: 'two words\né',
          mode: 5,
          ratio: -150,
          on: true,
          none: null,
          list: [1, 'a b'],
          deep: { x: { y: [2] } },
          empty: '',
          zeros: '007',
        },
      ],
    ],
  ]);
});

test('a number that cannot be held exactly stays text', () => {
  expect(roundsOf('tool id=12345678901234567890 far=1e999')).toEqual([
    [['tool', { id: '12345678901234567890', far: '1e999' }]],
  ]);
});

test('arguments may be one JSON object', () => {
  expect(roundsOf('write_file {"path": "a.txt", "content": "x = 1"}')).toEqual([
    [['write_file', { path: 'a.txt', content: 'x = 1' }]],
  ]);
});

test.each([
  ['tool a=1 a=2', 'twice'],
  ['tool a=1 loose', 'expected key=value'],
  ['tool a="open', 'never closed'],
  ['tool a={"b": 1', 'never closed'],
  ['tool a="x"y', 'no JSON'],
  ["tool a='x'", 'double quotes'],
  ['tool {"a": 1', 'no JSON object'],
  ['tool {"a": 1} b=2', 'no JSON object'],
  ['tool {"__proto__": 1}', '__proto__'],
  ['tool __proto__=1', '__proto__'],
  ['Collect the logs of all hosts', 'is no command'],
  ['{"tool": "x"}', 'is no command'],
  ['-la', 'is no command'],
  ['', 'holds no command'],
  ['Task Description: \nTips for Completion:\nNo tips available.', 'holds no command'],
])('%s is refused with its reason and what is understood', (line, reason) => {
  expect(refusalOf(line)).toContain(reason);
  expect(refusalOf(line)).toContain('$ df -h');
});

test('a refusal names the line', () => {
  expect(refusalOf('$ date\n\nplease restart')).toContain('Line 3, "please restart", is no command');
});
