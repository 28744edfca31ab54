import type { Metadata } from 'next';
import { SignIn } from '@/components/shell/sign-in';
import { text } from '@/components/text/catalogue';

export const metadata: Metadata = { title: text.shell.signIn.title };

export default function SignInPage() {
  return <SignIn />;
}
