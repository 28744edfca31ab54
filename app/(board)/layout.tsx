import type { ReactNode } from 'react';
import { BoardShell } from '@/components/shell/board-shell';

export default function BoardLayout({ children }: { children: ReactNode }) {
  return <BoardShell>{children}</BoardShell>;
}
