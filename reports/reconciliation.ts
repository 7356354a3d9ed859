import { z } from 'zod'
import { defineReport } from '../src/core/define/report.ts'
import { declaredStreams } from '../src/resources/declared.ts'
import { CONTENTS } from './reconciliation/contents.ts'
import { countSlices, countWrites } from './reconciliation/counts.ts'
import { evidenceSection, readCheckpoints } from './reconciliation/evidence.ts'
import { filesSection, readFiles } from './reconciliation/files.ts'
import { linesOf } from './reconciliation/lines.ts'
import { readRuns, runsSection } from './reconciliation/runs.ts'
import { reconciliationSource } from './reconciliation/source.ts'
import { streamSections } from './reconciliation/streams.ts'
import { provenanceSection, summarySection } from './reconciliation/summary.ts'
import { readUnproven, unprovenSection } from './reconciliation/unproven.ts'
import { withContents } from './shared/blocks.ts'
import { ONE_DAY, oneDay, TIME_ZONE } from './shared/periods.ts'

/**
 * Compares, for a day's runs, how many records the service reported, how many were received, and what became
 * of them. If a record is not accounted for, the report says so in red.
 */
export default defineReport({
  name: 'reconciliation',
  title: 'Daily reconciliation',
  params: z.object({ ...ONE_DAY, ...TIME_ZONE }),
  needs: [],
  optional: declaredStreams,
  periods: oneDay,
  async build(context) {
    const source = reconciliationSource(context)
    const runs = await readRuns(source)
    const unproven = await readUnproven(source, runs)
    const lines = linesOf(declaredStreams, {
      account: source.account,
      jobOf: source.jobOf,
      runs,
      slices: await countSlices(source, runs),
      writes: await countWrites(source, runs),
      unproven: unproven.counts,
      erasures: await source.erasures(),
      low: context.low,
    })
    const files = await readFiles(source)
    const checkpoints = await readCheckpoints(source)
    const facts = {
      account: source.account,
      lines,
      runs,
      files,
      checkpoints,
      unproven,
      low: context.low,
    }
    const sections = [
      provenanceSection(facts),
      summarySection(facts),
      ...streamSections(lines),
      await unprovenSection(source, unproven),
      filesSection(source, files),
      evidenceSection(checkpoints),
      runsSection(source, runs),
    ]
    return withContents(sections, CONTENTS)
  },
})
