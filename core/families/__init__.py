"""Policy families (seed [000]): masses that are differentiable in theta and positive on exactly the support."""
