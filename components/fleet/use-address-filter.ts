import { useState } from 'react';

const NAME = 'filter';

/** A filter that stands in the address, so that a reload, Back and a copied link keep it. */
export function useAddressFilter(): readonly [string, (filter: string) => void] {
  const [filter, setFilter] = useState(() => new URLSearchParams(window.location.search).get(NAME) ?? '');
  return [
    filter,
    (next) => {
      setFilter(next);
      const address = new URL(window.location.href);
      if (next === '') address.searchParams.delete(NAME);
      else address.searchParams.set(NAME, next);
      window.history.replaceState(window.history.state, '', address);
    },
  ];
}
