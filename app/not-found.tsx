import Link from 'next/link';
import { text } from '@/components/text/catalogue';

export default function NotFound() {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-3 p-4">
      <h1 className="text-xl font-semibold">{text.shell.failure.notFound}</h1>
      <Link href="/" className="text-blue-text underline">
        {text.shell.failure.home}
      </Link>
    </main>
  );
}
