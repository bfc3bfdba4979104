/** The task queue of the platform arms. */
export const platformQueue = 'platform';
