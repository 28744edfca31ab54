/** A tool says no or the machine does; the message is for the person who sent the task and names no path of this machine. */
export class ToolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ToolError';
  }
}
