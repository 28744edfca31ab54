export { peekRefusedJson } from './aip-json';
export {
  type BinaryMetadata,
  binaryMetadataSchema,
  type ChunkMetadata,
  chunkMetadataSchema,
  type FileTransferComplete,
  type FileTransferNext,
  type FileTransferStart,
  fileTransferCompleteSchema,
  fileTransferNextSchema,
  fileTransferStartSchema,
} from './binary-models';
export * from './client-builders';
export * from './client-extension-builders';
export { type ClientMessage, clientMessageSchema } from './client-message';
export { type Command, type CommandResult, commandSchema, resultSchema } from './command';
export { type DeviceInfo, deviceInfoSchema } from './device-info';
export * from './device-manifest';
export * from './enums';
export * from './extension-members';
export * from './file-builders';
export { createMcpToolCall, type McpToolCall, type McpToolDetails } from './mcp-tool-call';
export { type RuleBreach, validateClientMessage, validateServerMessage } from './message-rules';
export { messageValidator } from './message-validator';
export {
  type AipParseError,
  type AipProblem,
  type Parsed,
  parseClientMessage,
  parseCommand,
  parseModel,
  parseResult,
  parseServerMessage,
} from './parse';
export {
  fitsDepth,
  type SerialiseError,
  serialiseCommand,
  serialiseFrame,
  serialiseMessage,
  serialiseResult,
} from './serialise';
export * from './server-builders';
export { type ServerMessage, serverMessageSchema } from './server-message';
export { toTimestamp } from './timestamp';
export * from './ui-models';
export { sessionOfUnreadableEnd } from './unreadable-task-end';
