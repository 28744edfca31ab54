/** Raised with every change of a frame; the fingerprint test says so when it is forgotten. */
export const PROTOCOL_VERSION = 1;

/** The WebSocket subprotocol that a browser must offer. */
export const SUBPROTOCOL = `orrery.v${PROTOCOL_VERSION}`;
