/** Structured logs on standard error: one JSON line each, or readable lines on a terminal. */
import process from 'node:process';
import pino, { type Logger } from 'pino';
import { Runtime, type LogLevel } from '@temporalio/worker';

export function createLogger(name: string): Logger {
  const level = process.env['COUNTERSIGN_LOG_LEVEL'] ?? 'info';
  // The SDK reports what failed under `error`; pino by itself makes `{}` of an Error under that name.
  const serializers = { error: pino.stdSerializers.err };
  return pino({ name, level, base: { pid: process.pid }, serializers }, pino.destination({ fd: 2, sync: true }));
}

const levels: Readonly<Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'>> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

/** Sends the SDK's own logs the same way. Once per process, before any worker or native connection exists. */
export function installRuntime(logger: Logger): void {
  const log = (level: LogLevel, message: string, meta?: object): void => logger[levels[level]](meta ?? {}, message);
  Runtime.install({
    logger: {
      log,
      trace: (message, meta) => log('TRACE', message, meta),
      debug: (message, meta) => log('DEBUG', message, meta),
      info: (message, meta) => log('INFO', message, meta),
      warn: (message, meta) => log('WARN', message, meta),
      error: (message, meta) => log('ERROR', message, meta),
    },
    // By default the SDK's native side writes to standard output, which holds a command's answer and nothing else.
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    // The command decides when to shut down: also when the process that started it is gone.
    shutdownSignals: [],
  });
}
