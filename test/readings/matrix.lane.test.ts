import { WHOLE } from '../helpers/whole.ts'
import { ALONE, testSyncsUnder } from './cases.ts'

/** On a push what is green is played in mixtures, and what settings mend at once. */
const cases = WHOLE ? ALONE : ALONE.filter(({ told }) => told.length > 0)
testSyncsUnder(cases)
