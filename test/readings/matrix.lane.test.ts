import { ALONE, testSyncsUnder } from './cases.ts'

testSyncsUnder(ALONE)
