export function show() {}
export function begin() {}
