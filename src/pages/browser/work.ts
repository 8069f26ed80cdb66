import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export type Loaded<T> = {
  value: T | undefined;
  error: unknown;
  isBusy: boolean;
  reload: () => Promise<void>;
  set: (value: T) => void;
};

/**
 * Loads a value when the component is shown, and again when an input changes. A reply that is
 * overtaken by a later request is dropped.
 */
export function useLoaded<T>(load: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: unknown; isBusy: boolean }>({
    isBusy: true,
  });
  const latest = useRef(0);
  const reload = useCallback(async () => {
    const number = ++latest.current;
    setState((before) => ({ ...before, isBusy: true }));
    const next = await load().then(
      (value) => ({ value, isBusy: false }),
      (error: unknown) => ({ error, isBusy: false }),
    );
    if (number === latest.current) setState(next);
  }, inputs);
  useEffect(() => {
    void reload();
    return () => void latest.current++;
  }, [reload]);
  const set = (value: T) => setState({ value, isBusy: false });
  return { value: state.value, error: state.error, isBusy: state.isBusy, reload, set };
}

export type Action<A extends unknown[]> = {
  start: (...args: A) => Promise<void>;
  isBusy: boolean;
  error: unknown;
};

/** Runs what a button does. Ignores a start during a run. An error stays until the next start. */
export function useAction<A extends unknown[]>(run: (...args: A) => Promise<unknown>): Action<A> {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const isRunning = useRef(false);
  const start = async (...args: A): Promise<void> => {
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ isBusy: true });
    try {
      await run(...args);
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error });
    } finally {
      isRunning.current = false;
    }
  };
  return { start, isBusy: state.isBusy, error: state.error };
}
