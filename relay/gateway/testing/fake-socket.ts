import { type DownFrame, downMessageSchema } from '@/lib/relay-protocol/down';
import type { BrowserSession } from '@/relay/gateway/browser-session';
import type { BrowserSocket } from '@/relay/gateway/browser-socket';

/** A socket in memory. Everything that is sent must be a frame of the protocol. */
export class FakeSocket implements BrowserSocket {
  readonly frames: DownFrame[] = [];
  readonly messageSizes: number[] = [];
  closedWith: number | undefined;
  isTerminated = false;
  /** While true nothing leaves: bytes pile up and nobody is told that they were handed over. */
  isStuck = false;
  bufferedAmount = 0;
  session: BrowserSession | undefined;

  send(text: string, onHandedOver: () => void): void {
    const message = downMessageSchema.parse(JSON.parse(text));
    this.frames.push(...(Array.isArray(message) ? message : [message]));
    this.messageSizes.push(Buffer.byteLength(text));
    if (this.isStuck) this.bufferedAmount += text.length;
    else setImmediate(onHandedOver);
  }

  close(code: number): void {
    this.closedWith ??= code;
    if (!this.isStuck) this.session?.closed();
  }

  terminate(): void {
    this.isTerminated = true;
    this.session?.closed();
  }

  ofType<Type extends DownFrame['type']>(type: Type): Extract<DownFrame, { type: Type }>[] {
    return this.frames.filter((frame): frame is Extract<DownFrame, { type: Type }> => frame.type === type);
  }
}

/** Lets everything that was put off to the next turns of the loop happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
