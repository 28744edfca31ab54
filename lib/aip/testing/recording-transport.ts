import { decodeFrame } from '@/lib/aip/transport/inbox';
import {
  ConnectionError,
  type FrameData,
  FrameError,
  type Transport,
  type TransportClosed,
  type TransportState,
} from '@/lib/aip/transport/transport';

/** A transport as a user of the library may write one: it keeps what is sent and plays frames from a list, then ends. */
export class RecordingTransport implements Transport {
  readonly sent: FrameData[] = [];
  readonly bufferedBytes = 0;
  state: TransportState = 'connected';
  readonly #frames: FrameData[];
  readonly #closed: TransportClosed = { code: 1001, reason: 'played', clean: true };

  constructor(frames: readonly FrameData[]) {
    this.#frames = [...frames];
  }

  async connect(): Promise<void> {}

  async send(data: FrameData): Promise<void> {
    this.sent.push(data);
  }

  async receive(): Promise<string> {
    const frame = await this.receiveAuto();
    return typeof frame === 'string' ? frame : decodeFrame(frame);
  }

  async receiveBinary(): Promise<Uint8Array> {
    const frame = await this.receiveAuto();
    if (typeof frame !== 'string') return frame;
    throw new FrameError('Expected bytes');
  }

  async receiveAuto(): Promise<FrameData> {
    const frame = this.#frames.shift();
    if (frame !== undefined) return frame;
    this.terminate();
    throw new ConnectionError('The list is played', { closed: this.#closed });
  }

  async close(): Promise<void> {
    this.terminate();
  }

  terminate(): void {
    this.state = 'disconnected';
  }

  async waitClosed(): Promise<TransportClosed> {
    return this.#closed;
  }
}
