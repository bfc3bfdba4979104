// Copies an untrusted value into plain data before anything looks at it twice: no getters, no prototypes, no cycles.
// Texts are canonical in the copy.
import { normaliseText } from './canonical.ts';
import { InputError, type Path } from './input-error.ts';
import { MAX_COPIED_ENTRIES } from './limits.ts';

const HINT = 'Send plain JSON data.';
/** Nothing in a case or a revision is a container below this depth; such a one is emptied, and refused by its type. */
const CONTAINER_DEPTH = 3;

/**
 * A copy made of fresh objects and arrays. Each property is looked at once, through its descriptor, so an accessor is
 * never run. Strings have canonical line ends, -0 is 0. Values that are no JSON at all stay and are refused by type.
 *
 * @throws InputError for ill-formed text, U+0000, `__proto__` as a key, symbols as keys, accessors, hidden properties,
 * holes, class instances, and containers of more than 1000 entries. Never anything else, whatever a proxy does.
 */
export function plainCopy(value: unknown): unknown {
  try {
    return copy(value, []);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError('cannot be read', [], HINT);
  }
}

function copy(value: unknown, path: Path): unknown {
  if (typeof value === 'string') return normaliseText(value, path);
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value !== 'object' || value === null) return value;
  const isArray = Array.isArray(value);
  if (path.length >= CONTAINER_DEPTH) return isArray ? [] : {};
  return isArray ? copyArray(value, path) : copyObject(value, path);
}

function copyArray(value: readonly unknown[], path: Path): unknown[] {
  if (Object.getPrototypeOf(value) !== Array.prototype) throw new InputError('is not a plain array', path, HINT);
  const { length } = value;
  if (length > MAX_COPIED_ENTRIES) throw tooMany(path);
  // Own keys are the indexes and "length": fewer are holes, more are properties that JSON does not have.
  if (Reflect.ownKeys(value).length !== length + 1) throw new InputError('is not a plain array', path, HINT);
  const result: unknown[] = [];
  for (let index = 0; index < length; index++) result.push(copyProperty(value, index, [...path, index]));
  return result;
}

function copyObject(value: object, path: Path): Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new InputError('is not a plain object', path, HINT);
  const keys = Reflect.ownKeys(value);
  if (keys.length > MAX_COPIED_ENTRIES) throw tooMany(path);
  const result: Record<string, unknown> = {};
  for (const key of keys) {
    if (typeof key === 'symbol') throw new InputError('has a symbol as a key', path, HINT);
    const at = [...path, key];
    if (key === '__proto__') throw new InputError('is not allowed as a key', at, 'Leave __proto__ out.');
    normaliseText(key, at);
    result[key] = copyProperty(value, key, at);
  }
  return result;
}

function copyProperty(holder: object, key: string | number, path: Path): unknown {
  const property = Object.getOwnPropertyDescriptor(holder, key);
  if (property === undefined || !('value' in property) || !property.enumerable) {
    throw new InputError('is not a plain property', path, HINT);
  }
  return copy(property.value, path);
}

function tooMany(path: Path): InputError {
  return new InputError(`has more than ${MAX_COPIED_ENTRIES} entries`, path, 'A case has a few hundred at most.');
}
