import { WHOLE } from '../helpers/whole.ts'
import { ALONE, testSyncsUnder } from './cases.ts'

/** On a push what is green is played in mixtures, and what settings mend is not read once more. */
const red = ALONE.filter(({ told }) => told.length > 0)
testSyncsUnder(WHOLE ? ALONE : red.map((one) => ({ ...one, again: false })))
