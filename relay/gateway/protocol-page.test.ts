import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLOSE } from '@/lib/relay-protocol/close-codes';
import { downFrameSchema } from '@/lib/relay-protocol/down';
import { COMMAND_RATE, COMMANDS_UNANSWERED_MAX } from '@/lib/relay-protocol/timing';
import { upFrameSchema } from '@/lib/relay-protocol/up';
import { PROTOCOL_VERSION, SUBPROTOCOL } from '@/lib/relay-protocol/version';

const page = readFileSync(new URL('../../lib/relay-protocol/PROTOCOL.md', import.meta.url), 'utf8');

test('PROTOCOL.md names the version, every frame with its fields, and every close code', () => {
  expect(page).toContain(`version ${PROTOCOL_VERSION}`);
  expect(page).toContain(SUBPROTOCOL);
  for (const code of Object.values(CLOSE)) expect(page).toContain(String(code));
  for (const { shape } of [...upFrameSchema.options, ...downFrameSchema.options]) {
    const { type, ...fields } = shape;
    const [name = ''] = type.values;
    // `bye` goes both ways, with different fields.
    const rows = page.split('\n').filter((line) => line.split('|')[1]?.trim() === `\`${name}\``);
    expect([name, rows.length]).toEqual([name, name === 'bye' ? 2 : 1]);
    for (const field of Object.keys(fields)) expect(rows.join()).toContain(`\`${field}\``);
  }
});

test('PROTOCOL.md tells the rate of commands that is held', () => {
  const { burst, perSecond } = COMMAND_RATE;
  expect(page).toContain(
    `At most ${perSecond * 10} commands in 10 s (${burst} at once) and ${COMMANDS_UNANSWERED_MAX} unanswered`,
  );
});
