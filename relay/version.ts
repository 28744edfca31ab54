/** The version of the product; the same as in package.json, which a test holds. */
export const RELAY_VERSION = '0.1.0';
