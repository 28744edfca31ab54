import { publicSettings } from './config';

/** The text of `.env.example`: every setting with what it does and its default, commented out. */
export function envExample(): string {
  const blocks = Object.entries(publicSettings).map(([name, schema]) => {
    const { description = '', default: fallback = '' } = schema.meta() ?? {};
    return [...wrapped(String(description)), `#${name}=${String(fallback)}`].join('\n');
  });
  return `# Settings of Orrery. All are optional; the values below are the defaults.\n\n${blocks.join('\n\n')}\n`;
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
