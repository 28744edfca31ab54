import { z } from 'zod';

/** What was read other than it was written, or will not do for a launch; with its place in the file. */
export const importWarningSchema = z.strictObject({ path: z.string(), message: z.string() });
export type ImportWarning = Readonly<z.infer<typeof importWarningSchema>>;
