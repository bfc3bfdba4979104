/** The story cannot go on. What was observed until then is still reported. */
export class StoryFault extends Error {}
