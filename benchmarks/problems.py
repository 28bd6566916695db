"""The problems that the commands are timed on."""

SOFTMAX = """
group_size = 8
outer_iterations = 2
inner_steps = 3
epsilon = 0.2
beta = 0.04
step_size = 0.1
theta = [0, 0.5, -0.25, 0.125, 0.2, -0.1, 0.3, 0]
family = "softmax"
[[prompts]]
name = "q1"
responses = ["a", "b", "c", "d"]
rewards = [1, 0.5, 0, 0.25]
reference = [0.25, 0.25, 0.25, 0.25]
[[prompts]]
name = "q2"
responses = ["a", "b", "c", "d"]
rewards = [0, 1, 0, 0.5]
reference = [0.5, 0.25, 0.125, 0.125]
[draws]
seed = 7
"""

LAW = """
group_size = 8
outer_iterations = 1
inner_steps = 1
epsilon = 0.2
beta = 0
step_size = 0.05
theta = ["1/4", "1/4", "1/4", "1/4", "1/4", "1/4"]
family = "simplex"
[[prompts]]
name = "q1"
responses = ["a", "b", "c", "d"]
rewards = [1, 0.5, 0, 0.25]
reference = [0.25, 0.25, 0.25, 0.25]
[[prompts]]
name = "q2"
responses = ["a", "b", "c", "d"]
rewards = [0, 1, 0, 0.5]
reference = [0.25, 0.25, 0.25, 0.25]
"""

STILL = """
group_size = 4
outer_iterations = 25
inner_steps = 1
epsilon = 0.2
beta = 0
step_size = 0.1
theta = [0.5]
family = "bernoulli"
[[prompts]]
name = "q"
responses = ["a", "b"]
rewards = [1, 1]
reference = [0.5, 0.5]
[draws]
seed = 7
"""
"""Equal rewards: every advantage is 0, the parameter stays, and a trace grows by equal lines."""
