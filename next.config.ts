import type { NextConfig } from 'next';

/** In development `next dev` stands in front and passes the relay's paths on; in production the relay stands in front. */
const relayOrigin = process.env.ORRERY_RELAY_ORIGIN;

const config: NextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
  devIndicators: false,
  // The compiler reads tests and tools as well, and a start must not fail on those. `npm run verify` and `npm test` run
  // all three compilers, with the pages among them.
  typescript: { ignoreBuildErrors: true },
  async rewrites() {
    if (relayOrigin === undefined) return [];
    return ['/ws', '/v1/:path*', '/healthz', '/readyz'].map((source) => ({
      source,
      destination: `${relayOrigin}${source}`,
    }));
  },
};

export default config;
