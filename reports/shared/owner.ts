import { z } from 'zod'

/** The owner parameter of reports that can be cut. */
export const OWNER = {
  owner: z.string().optional().describe('The owner in reports.owners whose rows alone it shows'),
}
