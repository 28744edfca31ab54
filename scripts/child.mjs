// Runs one program of the project as a child of scripts/start.mjs: `ORRERY_CHILD` names the module and its arguments.
// They come by the environment because a command line, keys of devices included, can be read by every user of the machine.
import { pathToFileURL } from 'node:url';

const STOP_MS_MAX = 10_000;

const { module, argv } = JSON.parse(process.env.ORRERY_CHILD ?? '{}');
delete process.env.ORRERY_CHILD;
process.argv = [process.execPath, module, ...argv];

// After the parent is gone nobody reads these streams; a log line must not break a clean stop.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

process.on('disconnect', () => {
  setTimeout(() => process.exit(1), STOP_MS_MAX).unref();
  // Without a listener there is nothing to wait for; a program that has set its exit code keeps it.
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit();
});
// The channel to the parent alone must not keep a program running that has finished.
process.channel?.unref();

await import(pathToFileURL(module).href);
