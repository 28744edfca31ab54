/** What a browser session needs of a WebSocket. */
export type BrowserSocket = {
  /** Bytes that wait in this process. */
  readonly bufferedAmount: number;
  /** @param onHandedOver - called when the text has left this process, or never will */
  send(text: string, onHandedOver: () => void): void;
  close(code: number, reason: string): void;
  terminate(): void;
};
