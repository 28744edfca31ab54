import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import type { CommandState } from './use-command';

/** What went wrong with the last press, where it was pressed. */
export function Complaint({ command }: { readonly command: CommandState }) {
  if (command.complaint === null) return null;
  return (
    <Notice
      tone="red"
      actions={
        <Button
          look="quiet"
          icon="cross"
          isIconOnly
          isSmall
          aria-label={text.shell.common.dismiss}
          onClick={command.dismiss}
        />
      }
    >
      {command.complaint}
    </Notice>
  );
}
