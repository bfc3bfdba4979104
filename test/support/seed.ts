/** FC_SEED=… repeats a run of the property tests. The seed is printed, so that a failure seen once can be seen again. */
export const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`fast-check seed: ${seed} (FC_SEED=${seed} repeats it)`);
