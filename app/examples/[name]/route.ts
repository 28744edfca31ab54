import { readExample } from '@/app/examples/example-files';

type ExampleRouteContext = { readonly params: Promise<{ readonly name: string }> };

export async function GET(_request: Request, { params }: ExampleRouteContext): Promise<Response> {
  const text = await readExample((await params).name);
  if (text === undefined) return new Response('There is no such example', { status: 404 });
  return new Response(text, { headers: { 'content-type': 'application/json; charset=utf-8' } });
}
