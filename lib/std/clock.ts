/** Stops a timer; may be called twice. */
export type CancelTimer = () => void;

/** Time as a port. All numbers are milliseconds; `now` counts from the Unix epoch. */
export type Clock = {
  now(): number;
  after(delayMs: number, run: () => void): CancelTimer;
  every(intervalMs: number, run: () => void): CancelTimer;
};
