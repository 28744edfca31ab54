'use client';

import { useState } from 'react';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import type { IconName } from '@/components/ui/icon';
import { parseTheme, THEME_COOKIE, THEMES, type Theme } from './theme';

const ICON: Record<Theme, IconName> = { auto: 'theme', light: 'sun', dark: 'moon' };
const YEAR_SECONDS = 31_536_000;

/** One press per theme: the system's, light, dark. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  const label = `${text.shell.theme.label}: ${text.shell.theme[theme]}`;
  return (
    <Button
      look="quiet"
      icon={ICON[theme]}
      isIconOnly
      aria-label={label}
      title={label}
      onClick={() => {
        const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
        writeTheme(next);
        setTheme(next);
      }}
    />
  );
}

function readTheme(): Theme {
  return parseTheme(document.documentElement.dataset.theme);
}

function writeTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const secure = window.location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and on plain http
  document.cookie = `${THEME_COOKIE}=${theme}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
}
