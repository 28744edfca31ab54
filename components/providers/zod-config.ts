import { z } from 'zod';

// zod would try to compile parsers with `new Function`, which our content security policy forbids and reports.
z.config({ jitless: true });
