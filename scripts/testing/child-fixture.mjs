// A child for the tests of the supervisor; its arguments say how it behaves.
const [behaviour] = process.argv.slice(2);
const alive = setInterval(() => {}, 1_000);

if (behaviour === 'fail') {
  process.stderr.write('{"level":"error","what":"port-busy"}\nPort 1 is in use.\n');
  process.exit(3);
}
process.on('SIGTERM', () => {
  if (behaviour === 'deaf') return;
  clearInterval(alive);
});
process.send?.({ type: 'ready', argv: process.argv.slice(2), hasSecretInEnvironment: 'ORRERY_CHILD' in process.env });
