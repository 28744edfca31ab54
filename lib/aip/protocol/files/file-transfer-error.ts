export type FileTransferErrorCode =
  /** A frame that does not belong where it came. */
  | 'unexpected-frame'
  | 'size-mismatch'
  | 'checksum-mismatch'
  /** Beyond what the receiver takes. */
  | 'refused'
  /** The file that is being sent is not as it was. */
  | 'source-changed';

/** A transfer that came to nothing. Failures of the connection and of the disk are thrown as they are. */
export class FileTransferError extends Error {
  readonly code: FileTransferErrorCode;

  constructor(code: FileTransferErrorCode, message: string) {
    super(message);
    this.name = 'FileTransferError';
    this.code = code;
  }
}
