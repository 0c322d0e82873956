/**
 * Gives the property tests the same random inputs in every run of a commit, so that none of them
 * fails by chance.
 */
import fc from 'fast-check';

const seed = Number(process.env.PROPERTY_SEED ?? 20_261_128);
if (!Number.isInteger(seed)) throw new Error('PROPERTY_SEED must be an integer.');
fc.configureGlobal({ seed });
