import { publicSettings } from './config';

const HEAD = `# Settings of Orrery. All are optional; the values below are the defaults.
# No file is read by itself: set variables for the start (ORRERY_PORT=3001 npm start), or take them from a file, by
# "set -a; . ./.env; set +a" in a shell, by EnvironmentFile= in a systemd unit.`;

/** The text of `.env.example`: every setting with what it does and its default, commented out. */
export function envExample(): string {
  const blocks = Object.entries(publicSettings).map(([name, schema]) => {
    const { description = '', default: fallback = '' } = schema.meta() ?? {};
    return [...wrapped(String(description)), `#${name}=${String(fallback)}`].join('\n');
  });
  return `${HEAD}\n\n${blocks.join('\n\n')}\n`;
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > 100 && line !== '#') {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
