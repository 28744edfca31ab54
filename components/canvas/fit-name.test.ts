import { expect, test } from 'vitest';
import { CARD_NAME, fitName, ZOOMED_OUT_NAME } from './fit-name';

/** Every letter is as wide as half its font: 7 px at 14 px, 6 px at 12 px. */
const measure = (text: string, fontSizePx: number) => ([...text].length * fontSizePx) / 2;
const set = (name: string) => fitName(name, CARD_NAME, measure);

test('a short name stays on one line at full size', () => {
  expect(set('Collect errors')).toEqual({ lines: ['Collect errors'], fontSizePx: 14, lineHeightPx: 20, isCut: false });
});

test('a name breaks between words, never inside one that fits', () => {
  expect(set('Collect errors on the queue host').lines).toEqual(['Collect errors on the', 'queue host']);
});

test('a host name at the end moves to the next line as a whole', () => {
  expect(set('Collect all errors on web-a').lines).toEqual(['Collect all errors on', 'web-a']);
});

test('a name without spaces breaks after its own separators and before camel humps', () => {
  expect(set('collect_errors_on_host_web-a.service').lines).toEqual(['collect_errors_on_host_', 'web-a.service']);
  expect(set('collectErrorsOnTheQueueHostToday').lines).toEqual(['collectErrorsOnTheQueue', 'HostToday']);
});

test('sixty letters are shown whole, in three smaller lines', () => {
  const name = 'Collect every ERROR line of the morning shift from web-a now';
  expect(name).toHaveLength(60);
  const { lines, fontSizePx, isCut } = set(name);
  expect(lines.join(' ')).toBe(name);
  expect(fontSizePx).toBe(12);
  expect(isCut).toBe(false);
});

test('a name that is too long keeps both ends', () => {
  const name = `begin ${'middle '.repeat(30)}end-42`;
  const { lines, isCut } = set(name);
  expect(isCut).toBe(true);
  expect(lines.length).toBeLessThanOrEqual(3);
  expect(lines[0]).toMatch(/^begin/);
  expect(lines.at(-1)).toMatch(/end-42$/);
  expect(lines.join('')).toContain('…');
});

test('a zoomed out card keeps both ends of its name too', () => {
  const { lines, fontSizePx } = fitName('Verify the workbook on host-42', ZOOMED_OUT_NAME, measure);
  expect(fontSizePx).toBe(22);
  expect(lines.length).toBeLessThanOrEqual(2);
  expect(lines.at(-1)).toMatch(/42$/);
});

test('one endless word is split by letters instead of running out of the card', () => {
  const { lines } = set('x'.repeat(40));
  expect(lines.join('')).toBe('x'.repeat(40));
  expect(lines.every((line) => measure(line, 14) <= 182)).toBe(true);
});

test('letters outside of the basic plane are never cut in half', () => {
  expect(set('🛰'.repeat(200)).lines.join('').isWellFormed()).toBe(true);
});
