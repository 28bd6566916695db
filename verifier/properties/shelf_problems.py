"""The problems of the shelf: small ones, as the text of problem files."""

ONE_STEP = """\
group_size = 2
outer_iterations = 1
inner_steps = 1
epsilon = 0.2
beta = 0.1
step_size = 0.05
theta = [0.5]
family = "bernoulli"

[[prompts]]
name = "q"
responses = ["good", "bad"]
rewards = [1, 0]
reference = [0.5, 0.5]

[draws]
recorded = [[["good", "bad"]]]
"""
"""One prompt, two responses, one step: the smallest shape there is."""

KINK = ONE_STEP.replace("inner_steps = 1", "inner_steps = 2").replace("beta = 0.1", "beta = 0")
"""The first step lands on ratio 1 + epsilon, where the second finds no gradient."""

LONG_STEP = """\
group_size = 2
outer_iterations = 1
inner_steps = 1
epsilon = 0.5
beta = 0
step_size = "17/72"
theta = [0.5]
family = "bernoulli"

[[prompts]]
name = "q"
responses = ["a", "b"]
rewards = [1, 0]
reference = [0.5, 0.5]

[draws]
recorded = [[["a", "b"]]]
"""
"""One step of 17/36 from 1/2, which lands 1/36 before the edge of U."""

TWO_ITERATIONS = """\
group_size = 2
outer_iterations = 2
inner_steps = 2
epsilon = 0.2
beta = 0
step_size = 0.2
theta = [0.5]
family = "bernoulli"

[[prompts]]
name = "p"
responses = ["good", "bad"]
rewards = [1, 0]
reference = [0.5, 0.5]

[[prompts]]
name = "q"
responses = ["good", "bad"]
rewards = [2, 1]
reference = [0.5, 0.5]

[draws]
seed = 7
"""
"""Two prompts and two outer iterations of two steps."""

THREE_RESPONSES = """\
group_size = 3
outer_iterations = 1
inner_steps = 1
epsilon = 0.2
beta = 0.1
step_size = 0.02
theta = ["1/2", "1/4"]
family = "simplex"

[[prompts]]
name = "q"
responses = ["a", "b", "c"]
rewards = [3, 1, 0]
reference = ["1/3", "1/3", "1/3"]

[draws]
seed = 7
"""
"""One prompt with three responses, groups of three."""

AT_ODDS = """\
group_size = 2
outer_iterations = 1
inner_steps = 1
epsilon = 0.5
beta = 0
step_size = 0.5
theta = ["1/3"]
family = "bernoulli"

[[prompts]]
name = "p"
responses = ["a", "b"]
rewards = [0, 2]
reference = [0.5, 0.5]

[[prompts]]
name = "q"
responses = ["a", "b"]
rewards = [1, 0]
reference = [0.5, 0.5]

[draws]
recorded = [[["a", "a"], ["a", "b"]]]
"""
"""Two prompts that share a parameter and want it to move opposite ways."""

CYCLE = """\
group_size = 2
outer_iterations = 2
inner_steps = 1
epsilon = 0.5
beta = 0
step_size = "3/8"
theta = [0.25]
family = "bernoulli"

[[prompts]]
name = "p"
responses = ["a", "b"]
rewards = [0, 1]
reference = [0.5, 0.5]

[[prompts]]
name = "q"
responses = ["a", "b"]
rewards = [2, 0]
reference = [0.5, 0.5]

[draws]
recorded = [[["a", "a"], ["a", "b"]], [["a", "b"], ["a", "a"]]]
"""
"""Two groups that lead from 1/4 to 3/4 and back."""
