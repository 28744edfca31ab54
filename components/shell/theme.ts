/** A cookie, so that the server can write the theme into the first byte of the page and nothing flashes. */
export const THEME_COOKIE = 'orrery_theme';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function parseTheme(value: string | undefined): Theme {
  return THEMES.find((theme) => theme === value) ?? 'auto';
}
