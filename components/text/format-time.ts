const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `4 s`, `2 min 03 s`, `1 h 04 min`, `3 d 2 h`. Two units at most, so that a column keeps its width. */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs);
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${padded(Math.floor((ms % MINUTE) / SECOND))} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${padded(Math.floor((ms % HOUR) / MINUTE))} min`;
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
}

/** How long something took that is over: `0.3 s` below ten seconds, where a whole second says too little; then as above. */
export function formatTook(durationMs: number): string {
  const ms = Math.max(0, durationMs);
  return ms < 10 * SECOND ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : formatDuration(ms);
}

/** One unit only: `12 s`, `3 min`, `5 h`, `2 d`. For ages, which nobody reads to the second. */
export function formatAge(ageMs: number): string {
  const ms = Math.max(0, ageMs);
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** `14:02:11`, in the browser's zone. */
export function formatClockTime(atMs: number): string {
  const at = new Date(atMs);
  return `${padded(at.getHours())}:${padded(at.getMinutes())}:${padded(at.getSeconds())}`;
}

/** `14:02:11` today, else `2025-03-04 14:02:11`, in the browser's zone. */
export function formatMoment(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const isToday = at.toDateString() === new Date(nowMs).toDateString();
  if (isToday) return formatClockTime(atMs);
  return `${at.getFullYear()}-${padded(at.getMonth() + 1)}-${padded(at.getDate())} ${formatClockTime(atMs)}`;
}

/** With the zone's offset, for titles: `2025-03-04 14:02:11 +01:00`. */
export function formatFullMoment(atMs: number): string {
  const at = new Date(atMs);
  const offset = -at.getTimezoneOffset();
  const sign = offset < 0 ? '-' : '+';
  const hours = padded(Math.floor(Math.abs(offset) / 60));
  const minutes = padded(Math.abs(offset) % 60);
  const day = `${at.getFullYear()}-${padded(at.getMonth() + 1)}-${padded(at.getDate())}`;
  return `${day} ${formatClockTime(atMs)} ${sign}${hours}:${minutes}`;
}

function padded(value: number): string {
  return String(value).padStart(2, '0');
}
