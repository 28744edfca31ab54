const LOOK_EVERY_MS = 500;

/**
 * Calls back once when the parent of a script that npm has started is gone: npm runs scripts through a shell that does not pass
 * SIGTERM on, so the death of that shell is the only sign. Scripts started in another way may outlive their parent.
 *
 * @param {() => void} onGone
 */
export function watchParent(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
}
