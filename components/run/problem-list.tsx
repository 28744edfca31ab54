import { runText } from '@/components/text/run-text';
import { Notice } from '@/components/ui/notice';

type ProblemListProps = {
  readonly title: string;
  readonly problems: readonly { readonly path: string; readonly message: string }[];
};

/** Every problem with its place in the file. */
export function ProblemList({ title, problems }: ProblemListProps) {
  return (
    <Notice tone="red" title={title}>
      {problems.length === 0 ? null : (
        <ul aria-label={runText.create.problems} className="flex flex-col gap-1">
          {problems.map(({ path, message }) => (
            <li key={`${path} ${message}`} className="break-words">
              {path === '' ? null : <span className="font-mono text-xs">{path}: </span>}
              {message}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
