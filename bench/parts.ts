import { accountsPart } from './accounts-part.ts'
import { archivePart } from './archive-part.ts'
import { auditPart } from './audit-part.ts'
import { bundlePart } from './bundle-part.ts'
import { evidencePart } from './evidence-part.ts'
import { growthPart } from './growth-part.ts'
import { leavesPart } from './leaves-part.ts'
import { ledgerPart } from './ledger-part.ts'
import { loadPart } from './load-part.ts'
import { machinesPart } from './machines-part.ts'
import { memoryPart } from './memory-part.ts'
import { pagePart } from './page-part.ts'
import { parquetPart } from './parquet-part.ts'
import type { Part } from './part.ts'
import { quotaPart } from './quota-part.ts'
import { reportsPart } from './reports-part.ts'
import { startupPart } from './startup-part.ts'
import { usersPart } from './users-part.ts'
import { verifyPart } from './verify-part.ts'
import { waysPart } from './ways-part.ts'

/** Everything that `npm run bench` measures, in this order. A new part is a file and a line here. */
export const parts: Readonly<Record<string, Part>> = {
  accounts: accountsPart,
  archive: archivePart,
  audit: auditPart,
  bundle: bundlePart,
  evidence: evidencePart,
  growth: growthPart,
  leaves: leavesPart,
  ledger: ledgerPart,
  load: loadPart,
  machines: machinesPart,
  memory: memoryPart,
  page: pagePart,
  parquet: parquetPart,
  quota: quotaPart,
  reports: reportsPart,
  startup: startupPart,
  users: usersPart,
  verify: verifyPart,
  ways: waysPart,
}
