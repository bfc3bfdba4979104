/** Workflow ids that several chapters use. */
export const reviewId = 'review/T-1042';
export const secondId = 'review/T-1043';
export const naiveId = 'naive/T-1042';
